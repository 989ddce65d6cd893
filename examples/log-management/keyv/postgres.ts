import { KeyvPostgres } from '@keyv/postgres'
import { Keyv } from 'keyv'
import type { Logs } from '../log.ts'
import { logsIn } from './with-keyv.ts'

export function logsOf(uri: string, place: string): Logs {
  return logsIn(
    new Keyv({ store: new KeyvPostgres({ uri, schema: place, table: 'logs' }), throwOnErrors: true }),
  )
}
