CREATE OR REPLACE VIEW moving_payments AS
SELECT m.*, CASE WHEN m.reason IS NULL THEN NULL WHEN m.card <> 0 THEN 'card_payments' ELSE 'payments' END AS stays FROM (
  SELECT p.id, p.user_id, p.card, p.transaction_id, p.date_added, p.shipped_at, p.paymenttype, p.completed, p.pending_reason,
    p.net, p.gross, p.fee, IFNULL(c.name, p.currency) AS currency,
    CASE WHEN p.card <> 0 THEN 'of a calling card' WHEN u.id IS NULL THEN 'no account'
      WHEN NOT IFNULL(p.date_added > '1970-01-01', FALSE) THEN 'no date' WHEN c.name IS NULL THEN 'no exchange rate'
      WHEN ABS(p.net) >= 1e15 OR ABS(p.gross) >= 1e15 OR ABS(p.fee) >= 1e15 THEN 'an amount of more than 15 digits' END AS reason
  FROM every_payment p LEFT JOIN moving_users u ON u.id = p.user_id AND u.stays IS NULL LEFT JOIN every_currency c ON c.name = p.currency) m;
