-- Newer versions rate by the prefix of a rate, whatever its destination is.
SELECT CONCAT('rate ', r.id, ' of tariff ', r.tariff_id, ' is for the prefix ', r.prefix, ', not for ', d.prefix, ', which its destination has')
FROM rates r JOIN destinations d ON d.id = r.destination_id WHERE r.prefix <> '' AND r.prefix <> d.prefix ORDER BY r.id;
