/**
 * The permissions of each account on accounts and calls, written down by hand from the documented rules (docs/wire.md and the reference it
 * completes), not read from the code; authorisation-of-objects.ts has the others. Each block is a method and the parameter that names its target, or several of them; a row is a caller, and its cells are:
 *
 *     ✓ 10 20     answered: what is shown, or was changed, belongs to the accounts 10 and 20
 *     ✓           answered: there is nothing to show
 *     any text    refused in these words, and nothing has changed
 *
 * A row of a single cell holds whatever is named. `itself` is the caller's own account or thing. Callers and targets:
 *
 *     caller        own   foreign   itself
 *     admin 0       10    20        0
 *     accountant 1  10    20        1         acts for admin
 *     reseller 2    20    30        2
 *     partner 4     40    20        4
 *     user 10       10    20        10
 *     nobody        10    20        -         no name, an unknown one, a blocked account
 *
 * For objects that only owners have (locations, LCRs, DIDs and the like) an account stands for their owner: admin's is 0, and
 * foreign to it is 2. The accounts belong to 0, but 20 to 2, 30 to 3 and 40 to 4.
 */
export const AUTHORISATION_OF_ACCOUNTS = `

user_login u
             own          foreign       missing       ill-typed
admin      | ✓ 0        | Login failed | Login failed | Login failed
accountant | ✓ 1        | Login failed | Login failed | Login failed
reseller   | ✓ 2        | Login failed | Login failed | Login failed
partner    | ✓ 4        | Login failed | Login failed | Login failed
user       | ✓ 10       | Login failed | Login failed | Login failed
nobody     | Login failed

user_logout u
             own  foreign  missing  ill-typed
admin      | ✓  | ✓      | failed | failed
accountant | ✓  | ✓      | failed | failed
reseller   | ✓  | ✓      | failed | failed
partner    | ✓  | ✓      | failed | failed
user       | ✓  | ✓      | failed | failed
nobody     | failed | ✓  | failed | failed

user_details_get user_id, user_details_get username
             own                 foreign             missing             ill-typed           itself
admin      | ✓ 10               | ✓ 20               | User was not found | User was not found | ✓ 0
accountant | ✓ 10               | ✓ 20               | User was not found | User was not found | ✓ 1
reseller   | ✓ 20               | User was not found | User was not found | User was not found | ✓ 2
partner    | ✓ 40               | User was not found | User was not found | User was not found | ✓ 4
user       | ✓ 10               | User was not found | User was not found | User was not found | ✓ 10
nobody     | Access Denied

user_details_update user_id
             own                 foreign             missing             ill-typed                               itself
admin      | ✓ 10               | User was not found | User was not found | User id must be non negative integer | Access Denied
accountant | You have no editing permission
reseller   | ✓ 20               | User was not found | User was not found | User id must be non negative integer | Access Denied
partner    | ✓ 40               | User was not found | User was not found | User id must be non negative integer | Access Denied
user       | Access Denied
nobody     | Access Denied

user_register id
             own                 foreign             missing             ill-typed           itself
admin      | Dont be so smart   | Dont be so smart   | Dont be so smart   | Dont be so smart   | ✓
accountant | Dont be so smart   | Dont be so smart   | Dont be so smart   | Dont be so smart   | Dont be so smart
reseller   | Dont be so smart   | Dont be so smart   | Dont be so smart   | Dont be so smart   | ✓
partner    | Dont be so smart   | Dont be so smart   | Dont be so smart   | Dont be so smart   | ✓
user       | Dont be so smart   | Dont be so smart   | Dont be so smart   | Dont be so smart   | Dont be so smart
nobody     | Dont be so smart   | Dont be so smart   | Dont be so smart   | Dont be so smart   | Dont be so smart

user_balance_get u
             own                 foreign             missing             ill-typed
admin      | ✓ 10               | User was not found | User was not found | User was not found
accountant | ✓ 10               | User was not found | User was not found | User was not found
reseller   | ✓ 20               | User was not found | User was not found | User was not found
partner    | ✓ 40               | User was not found | User was not found | User was not found
user       | ✓ 10               | User was not found | User was not found | User was not found
nobody     | User was not found | User was not found | User was not found | User was not found

user_balance_get_by_username id, user_simple_balance_get id
             own                 foreign             missing             ill-typed           itself
admin      | ✓ 10               | ✓ 20               | User was not found | User was not found | ✓ 0
accountant | ✓ 10               | ✓ 20               | User was not found | User was not found | ✓ 1
reseller   | ✓ 20               | ✓ 30               | User was not found | User was not found | ✓ 2
partner    | ✓ 40               | ✓ 20               | User was not found | User was not found | ✓ 4
user       | ✓ 10               | ✓ 20               | User was not found | User was not found | ✓ 10
nobody     | ✓ 10               | ✓ 20               | User was not found | User was not found | ✓ 10

users_get uniquehash
             own             foreign         missing         ill-typed       itself
admin      | Access Denied | Access Denied | Access Denied | Access Denied | ✓ 1 2 3 4 10 11 20 30 40
accountant | Access Denied | Access Denied | Access Denied | Access Denied | ✓ 2 3 4 10 11 20 30 40
reseller   | Access Denied | Access Denied | Access Denied | Access Denied | ✓ 20
partner    | Access Denied | Access Denied | Access Denied | Access Denied | ✓ 40
user       | You are not authorized to view this page
nobody     | Access Denied

payment_create user_id
             own    foreign         missing         ill-typed       itself
admin      | ✓ 10 | Access Denied | Access Denied | Access Denied | ✓ 0
accountant | Access Denied
reseller   | ✓ 20 | Access Denied | Access Denied | Access Denied | Access Denied
partner    | ✓ 40 | Access Denied | Access Denied | Access Denied | Access Denied
user       | Access Denied
nobody     | Bad login

quickstats_get user_id
             own          foreign   missing   ill-typed
admin      | ✓ everyone
accountant | Access Denied
reseller   | ✓ 20
partner    | Access Denied
user       | ✓ 10
nobody     | Access Denied

active_calls_get user_id
             own          foreign   missing   ill-typed
admin      | ✓ everyone
accountant | ✓ everyone
reseller   | ✓ 2 20
partner    | You are not authorized to use this functionality
user       | ✓ 10
nobody     | Access Denied

user_calls_get s_device
             own          foreign   missing   ill-typed   itself
admin      | ✓ 10       | ✓ 20    | ✓       | ✓         | ✓ 0
accountant | ✓ 10       | ✓ 20    | ✓       | ✓         | ✓ 1
reseller   | ✓ 20       | ✓       | ✓       | ✓         | ✓ 2
partner    | ✓ 40       | ✓       | ✓       | ✓         | ✓ 4
user       | ✓ 10       | ✓       | ✓       | ✓         | ✓ 10
nobody     | Dont_be_so_smart

user_calls_get s_provider
             own          missing   ill-typed
admin      | ✓ everyone | ✓       | ✓
accountant | ✓ everyone | ✓       | ✓
reseller   | ✓ 2 20     | ✓       | ✓
partner    | ✓ 4 40
user       | ✓ 10
nobody     | Dont_be_so_smart

local_calls_get s_userid, local_calls_get s_user
             own          foreign              missing              ill-typed            itself
admin      | ✓ 10       | User was not found | User was not found | User was not found | ✓ 0
accountant | ✓ 10       | User was not found | User was not found | User was not found | ✓ 1
reseller   | ✓ 20       | User was not found | User was not found | User was not found | ✓ 2
partner    | Access Denied
user       | ✓ 10
nobody     | Access Denied

queue_log_get user_id
             own          foreign   missing   ill-typed
admin      | ✓ 0
accountant | Access Denied
reseller   | Access Denied
partner    | Access Denied
user       | Access Denied
nobody     | Access Denied

credit_notes_get credit_note_id, credit_notes_get user_id
             own    foreign                     missing                     ill-typed                   itself
admin      | ✓ 10 | Credit note was not found | Credit note was not found | Credit note was not found | ✓ 0
accountant | ✓ 10 | Credit note was not found | Credit note was not found | Credit note was not found | ✓ 1
reseller   | ✓ 20 | Credit note was not found | Credit note was not found | Credit note was not found | Credit note was not found
partner    | Bad login
user       | Bad login
nobody     | Bad login

payments_get s_user_id
             own          foreign            missing            ill-typed          itself
admin      | ✓ 10       | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | ✓ 0
accountant | ✓ 10       | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | ✓ 1
reseller   | ✓ 20       | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | ✓ 20
partner    | ✓ 40       | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | ✓ 40
user       | ✓ 10
nobody     | Bad login

services_get user_id
             own          foreign   missing   ill-typed
admin      | ✓ 0 2 3 4
accountant | ✓ 0
reseller   | ✓ 2
partner    | ✓ 4
user       | Access Denied
nobody     | Access Denied

subscriptions_get s_user_id, subscriptions_get user_id
             own          foreign                  missing                  ill-typed                itself
admin      | ✓ 10       | ✓ 20                   | No Subscriptions found | No Subscriptions found | ✓ 0
accountant | ✓ 10       | No Subscriptions found | No Subscriptions found | No Subscriptions found | ✓ 1
reseller   | ✓ 20       | No Subscriptions found | No Subscriptions found | No Subscriptions found | ✓ 2
partner    | ✓ 40       | No Subscriptions found | No Subscriptions found | No Subscriptions found | ✓ 4
user       | You are not authorized to manage Subscriptions
nobody     | Access Denied

financial_statements_get user_id
             own          foreign            missing            ill-typed          itself
admin      | ✓ 10       | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | ✓ 0
accountant | ✓ 10       | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | ✓ 1
reseller   | ✓ 20       | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart
partner    | ✓ 40       | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart | Dont_be_so_smart
user       | ✓ 10
nobody     | Bad login

invoices_get user_id
             own          foreign   missing   ill-typed
admin      | ✓ 0 1 2 3 4 10
accountant | ✓ 0 1 2 3 4 10
reseller   | ✓ 20
partner    | ✓ 40
user       | ✓ 10
nobody     | User_Not_Found
`
