CREATE OR REPLACE VIEW every_text AS
SELECT 'users' AS kept_in, u.id, CONCAT_WS(' ', u.username, u.first_name, u.last_name, u.clientid, u.agreement_number) AS old_text FROM users u
UNION ALL SELECT 'tariffs', t.id, t.name FROM tariffs t
UNION ALL SELECT 'directions', f.id, f.name FROM directions f
UNION ALL SELECT 'destinations', n.id, n.name FROM destinations n
UNION ALL SELECT 'providers', p.id, p.name FROM providers p
UNION ALL SELECT 'devices', v.id, CONCAT_WS(' ', v.name, v.callerid, v.description) FROM devices v
UNION ALL SELECT 'devicerules', r.id, r.name FROM devicerules r
UNION ALL SELECT 'lcrs', l.id, l.name FROM lcrs l
UNION ALL SELECT 'locations', a.id, a.name FROM locations a
UNION ALL SELECT 'locationrules', w.id, w.name FROM locationrules w
UNION ALL SELECT 'subscriptions', s.id, s.memo FROM subscriptions s
UNION ALL SELECT 'credit_notes', c.id, c.comment FROM credit_notes c
UNION ALL SELECT 'invoicedetails', i.id, i.name FROM invoicedetails i;
