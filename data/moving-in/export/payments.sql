-- `amount` is the net amount, and `amount_with_vat` the gross one.
SELECT JSON_OBJECT('id', p.id, 'user_id', p.user_id, 'transaction_id', p.transaction_id, 'date', p.date_added,
  'confirm_date', p.shipped_at, 'type', p.paymenttype, 'amount', p.net, 'amount_with_vat', p.gross, 'fee', p.fee, 'currency', p.currency,
  'completed', p.completed, 'pending_reason', p.pending_reason)
FROM moving_payments p WHERE p.stays IS NULL;
