"""What is laid when pieces are left over."""
