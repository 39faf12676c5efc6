"""What of a mechanism ran on no database: lines, arms of expressions, and what its code reads besides its rows."""
