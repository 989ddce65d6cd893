import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { json, keyValue, passThrough } from '@unikv/core'
import { open } from '@unikv/stores'
import { transactional, transactions } from '@unikv/transaction'
import { beforeAll, expect, it } from 'vitest'
import { inProcess, root, typed } from './command-line.ts'

/** A process that ends before its transaction is decided: the second write of the log never leaves it. */
async function left(name: string): Promise<void> {
  let writes = 0
  let stopped = (): void => {}
  const end = new Promise<void>((resolve) => void (stopped = resolve))
  const stops = passThrough('stops', {
    wrap: (inner) => ({
      write: (mutations, call) => {
        if (++writes < 2) return inner.write(mutations, call)
        stopped()
        return new Promise<never>(() => {})
      },
    }),
  })
  const at = (place: string) => open(`file:${join(root, place)}` as 'file:a')
  const log = keyValue(at('log'), [stops, json()])
  const accounts = keyValue(at('accounts'), [json<number>(), transactional({ log })])
  const orders = keyValue(at('orders'), [json<number>(), transactional({ log })])
  const db = transactions({ accounts, orders, log })
  const work = db.run(async (tx) => {
    await tx.accounts.set(name, 1)
    await tx.orders.set(name, 1)
  })
  work.catch(() => {})
  await end
}

const lease = ['--lease', '0.05']
const check = (...args: readonly string[]) => inProcess(['check', '--transactions', ...lease, ...args])
const byUrl = typed('--log file:./log --store accounts=file:./accounts --store orders=file:./orders')

beforeAll(async () => {
  const store = (name: string) => ({
    url: `file:./${name}`,
    layers: ['json', { transactional: { log: 'log' } }],
  })
  const log = { url: 'file:./log', layers: ['json'] }
  const config = { stores: { accounts: store('accounts'), orders: store('orders'), log } }
  await writeFile(join(root, 'unikv.config.json'), JSON.stringify(config))
})

it('lists what a process has left, without keys, and finishes it when that is asked for', async () => {
  await left('mary')
  const found = await check()
  expect(found).toMatchObject({ code: 1, err: '' })
  expect(found.out).toMatch(/^log: 0 transactions were finished in the last day, and 1 was left unfinished\./)
  expect(found.out).toMatch(/open .*accounts: 1/)
  expect(found.out).toContain(String(process.pid))
  expect(found.out).not.toContain('mary')
  expect(Math.max(...found.out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  expect((await check('--keys')).out).toContain(' · orders "mary"')
  const { out, code } = await check('--finish')
  expect([out, code]).toEqual([expect.stringContaining('1 finished: 0 committed, 1 aborted.'), 0])
  expect(await check()).toMatchObject({
    code: 0,
    out: 'log: 1 transaction was finished in the last day.\n',
  })
})

it('does the same by URLs, and tells of a store that is not named', async () => {
  await left('bob')
  const found = await check('--json', ...byUrl)
  expect(found.code).toBe(1)
  const { logs } = JSON.parse(found.out)
  expect(logs).toMatchObject([
    { log: 'file', isEmpty: false, transactions: [{ state: 'open', records: { accounts: 1, orders: 1 } }] },
  ])
  const some = await check('--finish', ...byUrl.slice(0, 4))
  expect(some).toMatchObject({ code: 1, out: expect.stringContaining('"orders" is not among') })
  const all = await check('--finish', '--walk', '--json', ...byUrl)
  expect(all.code).toBe(0)
  expect(JSON.parse(all.out).logs[0].recovered).toMatchObject({ committed: 0, aborted: 1, left: [] })
})

it('an empty log, one of other records, and none are told', async () => {
  const empty = {
    log: { url: 'memory:', layers: ['json'] },
    a: { url: 'memory:', layers: [{ transactional: { log: 'log' } }] },
  }
  await writeFile(join(root, 'empty.json'), JSON.stringify({ stores: empty }))
  const found = await check('--config', 'empty.json')
  expect(found).toMatchObject({ code: 1, out: expect.stringContaining('log: the log is empty.') })
  await inProcess(['set', 'file:./other', 'a', '{"state":"new"}', '--as', 'json'])
  const wrong = await check('--log', 'file:./other')
  expect(wrong).toMatchObject({ code: 4, err: expect.stringContaining('not a log of transactions') })
  const missing = await check('--log', 'file:./missing')
  expect(missing).toMatchObject({ code: 2, err: expect.stringContaining('does not exist') })
  await writeFile(join(root, 'none.json'), JSON.stringify({ stores: { a: 'memory:' } }))
  const none = await check('--config', 'none.json')
  expect(none).toMatchObject({ code: 2, err: expect.stringContaining('names no log') })
  const alone = await inProcess(['check', '--finish'])
  expect(alone).toMatchObject({ code: 2, err: expect.stringContaining('--finish belongs to --transactions') })
})
