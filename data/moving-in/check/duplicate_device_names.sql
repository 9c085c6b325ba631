-- The first device of a name keeps it.
SELECT CONCAT('name ', n.old_name, ' of device ', n.id, ' becomes ', n.name) FROM moving_device_names n
WHERE n.name <> n.old_name ORDER BY n.id;
