-- `cell` writes a value as a cell of CSV. The last two take taxes off an amount and add them (`tax.rb`): a tax that is not enabled is 0.
CREATE OR REPLACE FUNCTION plain(amount DECIMAL(65,15)) RETURNS VARCHAR(80) DETERMINISTIC
RETURN TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM CAST(amount AS CHAR)));
CREATE OR REPLACE FUNCTION cell(value TEXT CHARACTER SET utf8mb4) RETURNS TEXT CHARACTER SET utf8mb4 DETERMINISTIC
RETURN IF(value REGEXP '[",\r\n]', CONCAT('"', REPLACE(value, '"', '""'), '"'), IFNULL(value, ''));
CREATE OR REPLACE FUNCTION without_tax(amount DECIMAL(65,15), compound INTEGER, a DECIMAL(30,15), b DECIMAL(30,15), c DECIMAL(30,15), d DECIMAL(30,15))
RETURNS DECIMAL(65,15) DETERMINISTIC
RETURN ROUND(amount / IF(compound = 1, (1 + a / 100) * (1 + b / 100) * (1 + c / 100) * (1 + d / 100), 1 + (a + b + c + d) / 100), 15);
CREATE OR REPLACE FUNCTION with_tax(amount DECIMAL(65,15), compound INTEGER, a DECIMAL(30,15), b DECIMAL(30,15), c DECIMAL(30,15), d DECIMAL(30,15))
RETURNS DECIMAL(65,15) DETERMINISTIC
RETURN ROUND(amount * IF(compound = 1, (1 + a / 100) * (1 + b / 100) * (1 + c / 100) * (1 + d / 100), 1 + (a + b + c + d) / 100), 15);
