import {
  findServices,
  type ImportedService,
  replaceService,
  serviceColumns,
} from '#lib/store/billing/service.ts'
import { ownedRows } from './owned-objects.ts'

export const services = ownedRows({
  columns: serviceColumns,
  accepted: ({ services }) => services,
  inCurrencies: true,
  find: findServices,
  replace: ({ store }, service: ImportedService) => replaceService(store, service),
})
