-- The currency of all amounts that name no other.
SELECT b.name FROM currencies b WHERE b.id = 1;
