-- Nobody can log in with a password that is no SHA-1, or the SHA-1 of nothing. The account moves, and cannot log in until you give it a password:
-- `npx tollgate account set-password NAME`.
SELECT CONCAT('user ', u.id, ' has no password: ', IF(u.password = '', 'it is blank', IF(u.password = SHA1(''), 'it is the SHA-1 of nothing', 'it is not a SHA-1')))
FROM moving_users u WHERE u.stays IS NULL AND (u.password NOT REGEXP '^[0-9A-Fa-f]{40}$' OR u.password = SHA1('')) ORDER BY u.id;
