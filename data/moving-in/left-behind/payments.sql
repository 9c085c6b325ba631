SELECT 'reason,id,user_id,date,type,currency,net,gross,completed';
SELECT CONCAT_WS(',', p.reason, p.id, cell(p.user_id), cell(p.date_added), cell(p.paymenttype), cell(p.currency), plain(p.net), plain(p.gross), p.completed)
FROM moving_payments p WHERE p.stays = 'payments';
