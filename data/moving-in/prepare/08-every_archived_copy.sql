-- Calls that archiving has copied but not removed, and whether the copy is the same.
CREATE OR REPLACE VIEW every_archived_copy AS
SELECT c.id, c.user_price, o.user_price AS old_user_price, c.calldate <=> o.calldate AND c.src <=> o.src AND c.dst <=> o.dst AND c.disposition <=> o.disposition
  AND c.duration <=> o.duration AND c.billsec <=> o.billsec AND c.user_id <=> o.user_id AND c.card_id <=> o.card_id
  AND c.dst_user_id <=> o.dst_user_id AND c.provider_id <=> o.provider_id AND c.reseller_id <=> o.reseller_id
  AND c.user_price <=> o.user_price AND c.provider_price <=> o.provider_price AND c.reseller_price <=> o.reseller_price
  AND c.did_price <=> o.did_price AND c.did_inc_price <=> o.did_inc_price AND c.did_prov_price <=> o.did_prov_price
  AND c.partner_price <=> o.partner_price AS is_same
FROM calls c JOIN calls_old o ON o.id = c.id AND o.uniqueid = c.uniqueid;
