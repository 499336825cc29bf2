"""Files of users: YAML read strictly, and every file written as a whole or not at all."""
