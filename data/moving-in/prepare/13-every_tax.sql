-- The taxes of an account or an invoice, as `without_tax` and `with_tax` take them.
CREATE OR REPLACE VIEW every_tax AS
SELECT x.id, x.compound_tax AS compound, IFNULL(x.tax1_value, 0) AS a, IF(x.tax2_enabled = 1, IFNULL(x.tax2_value, 0), 0) AS b,
  IF(x.tax3_enabled = 1, IFNULL(x.tax3_value, 0), 0) AS c, IF(x.tax4_enabled = 1, IFNULL(x.tax4_value, 0), 0) AS d
FROM taxes x;
