"""What is made of recorded episodes: films, and logs in the published form."""
