import { KeyvMongo } from '@keyv/mongo'
import { Keyv } from 'keyv'
import type { Logs } from '../log.ts'
import { logsIn } from './with-keyv.ts'

export function logsOf(url: string, place: string): Logs {
  return logsIn(
    new Keyv({ store: new KeyvMongo({ url, db: place, collection: 'logs' }), throwOnErrors: true }),
  )
}
