-- A status of a DID, or a transport of a device, that nothing here has: the column is blank.
SELECT CONCAT('DID ', d.id, ' has the status ', d.status) FROM dids d
WHERE d.status <> '' AND d.status NOT IN ('free', 'reserved', 'active', 'closed', 'terminated') ORDER BY d.id;
SELECT CONCAT('device ', d.id, ' has the transport ', d.transport) FROM devices d
WHERE d.transport <> '' AND d.transport NOT IN ('udp', 'tcp', 'udp,tcp', 'tcp,udp', 'tls') ORDER BY d.id;
