-- The amounts of calls as they are stored, before they are rounded.
CREATE OR REPLACE VIEW every_amount AS
SELECT c.id, c.user_price, c.provider_price, c.reseller_price, c.did_price, c.user_rate, c.provider_rate FROM calls c
UNION ALL SELECT o.id, o.user_price, o.provider_price, o.reseller_price, o.did_price, o.user_rate, o.provider_rate FROM calls_old o;
