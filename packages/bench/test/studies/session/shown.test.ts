import { describe, expect, test } from 'vitest'
import { jobIn } from '../../../src/studies/session/document/job.ts'
import { shownText } from '../../../src/studies/session/document/shown.ts'
import { auctionJob } from './jobs.ts'

describe('a text as results show it', () => {
  const cases: readonly (readonly [text: string, shown: string])[] = [
    ['redis-cli -u redis://u:pw@h info', 'redis-cli -u redis://h info'],
    [`psql "postgres://u:it's@h/db" -c 'SELECT 1'`, `psql "postgres://h/db" -c 'SELECT 1'`],
    [`echo 'redis://u:a<b>"c@h'`, `echo 'redis://h'`],
    ['from redis://u:a@h1 to redis://u:b@h2', 'from redis://h1 to redis://h2'],
    ['curl http://h:8080/x?password=pw', 'curl http://h:8080/x'],
    ['mongodb+srv://u:p w@h', 'mongodb+srv://h'],
    ['echo $PW@host <a>', 'echo $PW@host <a>'],
    ['redis://u:${PW}@h', 'redis://u:${PW}@h'],
  ]
  test.each(cases)('%s', (text, shown) => expect(shownText(text)).toBe(shown))
})

test('the name of a job, which becomes that of a folder, has no secrets', () => {
  const url = 'redis://u:pw@h'
  expect(jobIn({ ...auctionJob, name: url }, 'job.yaml').name).toBe('redis://h')
  const database = { url: 'memory:', name: url }
  expect(jobIn({ ...auctionJob, name: undefined, database }, 'job.yaml').name).toBe('redis://h')
})

test('a message that quotes a wrong value has none, either', () => {
  const database = { url: 'memory:', access: 'redis://u:pw@h' }
  const told = "job.yaml, database.access: it must be entities, transactions or sql, got 'redis://h'."
  expect(() => jobIn({ ...auctionJob, database }, 'job.yaml')).toThrow(told)
})
