-- The net amount is `payment_amount`, and the gross one `payment_amount_with_vat` (`payment.rb:34,45`): which column has which depends on the type.
CREATE OR REPLACE VIEW every_payment AS
SELECT p.id, p.user_id, p.card, p.transaction_id, p.date_added, p.shipped_at, p.paymenttype, p.completed, p.pending_reason,
  IFNULL(CAST(p.fee AS DECIMAL(65,15)), 0) AS fee, IFNULL(IF(IFNULL(p.currency, '') = '', b.name, p.currency), '') AS currency,
  IFNULL(CAST(CASE WHEN BINARY p.paymenttype = 'manual' AND u.id IS NOT NULL AND p.tax IS NOT NULL THEN p.amount - p.tax
    WHEN BINARY p.paymenttype = 'manual' AND u.id IS NOT NULL AND x.id IS NOT NULL THEN without_tax(p.amount, x.compound, x.a, x.b, x.c, x.d)
    WHEN BINARY p.paymenttype IN ('webmoney', 'cyberplat', 'linkpoint', 'voucher', 'ouroboros', 'subscription', 'paypal', 'paypal_fee') THEN IFNULL(p.gross, p.amount)
    ELSE p.amount END AS DECIMAL(65,15)), 0) AS net,
  IFNULL(CAST(CASE WHEN p.tax IS NOT NULL AND NOT BINARY IFNULL(p.paymenttype, '')
      IN ('webmoney', 'cyberplat', 'linkpoint', 'voucher', 'ouroboros', 'subscription', 'invoice', 'paypal', 'manual') THEN p.amount + p.tax
    WHEN BINARY p.paymenttype = 'invoice' AND i.id IS NOT NULL
      THEN IFNULL(with_tax(i.price, y.compound, y.a, y.b, y.c, y.d), i.price_with_vat) * IF(IFNULL(i.invoice_exchange_rate, 0) = 0, 1, i.invoice_exchange_rate)
    ELSE p.amount END AS DECIMAL(65,15)), 0) AS gross
FROM payments p LEFT JOIN currencies b ON b.id = 1 LEFT JOIN users u ON u.id = p.user_id LEFT JOIN every_tax x ON x.id = u.tax_id
LEFT JOIN (SELECT v.payment_id, MIN(v.id) AS id FROM invoices v WHERE v.payment_id > 0 GROUP BY v.payment_id) f ON f.payment_id = p.id
LEFT JOIN invoices i ON i.id = f.id LEFT JOIN every_tax y ON y.id = i.tax_id;
