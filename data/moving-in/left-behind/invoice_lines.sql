SELECT 'id,invoice_id,name,sum';
SELECT CONCAT_WS(',', l.id, cell(l.invoice_id), cell(l.name), cell(plain(l.line_sum)))
FROM moving_invoice_lines l WHERE l.stays IS NOT NULL;
