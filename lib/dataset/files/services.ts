import { currencyProblemsOf } from '#lib/dataset/format/currencies.ts'
import { entityRows } from '#lib/dataset/format/entity-rows.ts'
import { services as entity } from '#lib/store/billing/service.ts'

export const services = entityRows(entity, { check: currencyProblemsOf })
