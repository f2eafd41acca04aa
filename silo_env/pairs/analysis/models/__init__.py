"""What predicts and describes failures: features, ridge regression, clusters and their names."""
