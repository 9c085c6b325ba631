-- Bytes of UTF-8 in a column that says `latin1`: they move as the copy shows them. Convert the column in the copy: `ALTER TABLE users MODIFY first_name
-- VARBINARY(255)`, and then `MODIFY first_name VARCHAR(255) CHARACTER SET utf8mb4`. A name that is no text at all is refused by the import, with its line.
SELECT CONCAT(e.kept_in, ' ', e.id, ': ', e.old_text, ' is ', e.new_text, ' in UTF-8')
FROM (SELECT x.*, CONVERT(CAST(CONVERT(x.old_text USING latin1) AS BINARY) USING utf8mb4) AS new_text FROM every_text x) e
WHERE CHAR_LENGTH(e.new_text) < CHAR_LENGTH(e.old_text) AND e.new_text NOT LIKE '%?%' ORDER BY e.kept_in, e.id;
