SELECT JSON_OBJECT('id', u.id, 'username', n.username,
  'password_hash', IF(u.password REGEXP '^[0-9A-Fa-f]{40}$' AND u.password <> SHA1(''), u.password, 'none'), 'usertype', u.usertype,
  'owner_id', u.owner_id, 'first_name', u.first_name, 'last_name', u.last_name, 'tariff_id', u.tariff_id,
  'currency', u.currency, 'uniquehash', u.uniquehash, 'agreement_number', u.agreement_number, 'clientid', u.clientid,
  'address', a.address, 'postcode', a.postcode, 'city', a.city, 'county', a.county, 'state', a.state, 'phone', a.phone,
  'mob_phone', a.mob_phone, 'fax', a.fax, 'email', IF(a.email REGEXP '^[!-~]+$', a.email, NULL), 'vat_number', u.vat_number,
  'vat_percent', plain(with_tax(100, x.compound, x.a, x.b, x.c, x.d) - 100),
  'minimal_month', IF(u.minimum_from IS NULL, NULL, plain(u.minimal_charge)), 'minimal_from', u.minimum_from,
  'blocked', u.blocked, 'balance', plain(u.balance), 'credit', IF(u.credit = -1, '-1', plain(GREATEST(u.credit, 0))), 'postpaid', u.postpaid,
  'calls_limit', IF(u.call_limit > 0, LEAST(u.call_limit, 1000), NULL), 'daily_balance_limit', IF(u.daily_balance_limit > 0, plain(u.daily_balance_limit), NULL))
FROM moving_users u JOIN moving_usernames n ON n.id = u.id LEFT JOIN addresses a ON a.id = u.address_id
LEFT JOIN every_tax x ON x.id = u.tax_id WHERE u.stays IS NULL;
