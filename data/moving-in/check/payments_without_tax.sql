-- The old system takes the tax of the account off such a payment. The account has none here, so that its net amount is its gross one.
SELECT CONCAT('payment ', p.id, ' names no tax, nor does its account') FROM payments p JOIN users u ON u.id = p.user_id LEFT JOIN taxes x ON x.id = u.tax_id
WHERE BINARY p.paymenttype = 'manual' AND p.tax IS NULL AND x.id IS NULL ORDER BY p.id;
