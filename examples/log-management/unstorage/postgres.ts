import { createDatabase } from 'db0'
import postgresql from 'db0/connectors/postgresql'
import { createStorage } from 'unstorage'
import db0 from 'unstorage/drivers/db0'
import type { Log, Logs } from '../log.ts'
import { logsIn } from './with-unstorage.ts'

export function logsOf(url: string, place: string): Logs {
  const database = createDatabase(postgresql({ url }))
  return logsIn(createStorage<Log>({ driver: db0({ database, tableName: place }) }))
}
