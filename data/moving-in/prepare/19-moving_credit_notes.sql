-- A credit note that is paid without a date, `NULL` or `0000-00-00`, has its date of issue.
CREATE OR REPLACE VIEW moving_credit_notes AS
SELECT n.id, n.user_id, n.issue_date, n.number, n.comment, n.status = 'paid' AND NOT IFNULL(n.pay_date > '1970-01-01', FALSE) AS lacks_pay_date,
  CASE n.status WHEN 'unpaid' THEN NULL WHEN 'paid' THEN IF(n.pay_date > '1970-01-01', n.pay_date, n.issue_date) ELSE n.pay_date END AS pay_date,
  CAST(n.price AS DECIMAL(65,15)) AS price, CAST(IFNULL(n.price_with_vat, n.price) AS DECIMAL(65,15)) AS price_with_vat,
  IF(u.id IS NULL OR NOT IFNULL(n.issue_date > '1970-01-01', FALSE) OR ABS(n.price) >= 1e15 OR ABS(n.price_with_vat) >= 1e15, 'credit_notes', NULL) AS stays
FROM credit_notes n LEFT JOIN moving_users u ON u.id = n.user_id AND u.stays IS NULL;
