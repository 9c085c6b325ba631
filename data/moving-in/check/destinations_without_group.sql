-- Retail tariffs price groups of destinations.
SELECT CONCAT('prefix ', d.prefix, ' has no group: retail tariffs have no price for it') FROM destinations d
LEFT JOIN destinationgroups g ON g.id = d.destinationgroup_id WHERE g.id IS NULL AND d.prefix <> '' ORDER BY d.prefix;
