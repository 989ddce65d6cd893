import type { StoreFacts } from '@unikv/core/adapter'
import { httpStore } from './store/http-store.ts'

/** Facts about a store behind HTTP, for engineers who choose a store. */
export const httpFacts: StoreFacts = {
  name: 'http',
  title: 'HTTP (unikv serve)',
  adapter: '@unikv/http/store',
  drivers: [],
  urls: ['https://:token@host/users', 'http://:token@127.0.0.1:7700/users'],
  variants: [{ options: '', capabilities: httpStore({ url: 'http://127.0.0.1:7700/users' }).capabilities }],
  costs: {
    read: '1 GET',
    readMany: '1 POST with the keys',
    set: '1 PUT',
    setMany: '1 POST with the records',
    conditionalSet: '1 PUT with If-Match or If-None-Match',
    delete: '1 POST',
    scanPage: '1 GET',
  },
  consistency: {},
  sources: ['https://www.rfc-editor.org/rfc/rfc9110.html', 'https://www.rfc-editor.org/rfc/rfc9457.html'],
  testedOn: 'servers of `unikv serve` over memory, LMDB and Redis',
  notes: [
    'Another store stands behind it, and can do what capabilitiesOf() tells; the row shows what is assumed without it.',
    'Needs fetch alone: for functions without TCP, and through firewalls.',
  ],
}
