"""What submissions are read as: the JSON types of answers, and what is written around them."""
