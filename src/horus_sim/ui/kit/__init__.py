"""Parts that pages of several apps share: fields, tables, panels, messages."""
