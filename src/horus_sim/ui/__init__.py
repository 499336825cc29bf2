"""Pages in the browser: one shell, the apps in it, and the server behind them."""
