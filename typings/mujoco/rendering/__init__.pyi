"""MuJoCo's classic renderer."""
