import { createStorage } from 'unstorage'
import mongodb from 'unstorage/drivers/mongodb'
import type { Log, Logs } from '../log.ts'
import { logsIn } from './with-unstorage.ts'

export function logsOf(url: string, place: string): Logs {
  const driver = mongodb({ connectionString: url, databaseName: place, collectionName: 'logs' })
  return logsIn(createStorage<Log>({ driver }))
}
