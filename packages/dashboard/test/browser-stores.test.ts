import { keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { listen } from '@unikv/http/node'
import { openStores } from '@unikv/manager'
import { monitor } from '@unikv/monitor'
import { keptHistory, recorder } from '@unikv/monitor/recorder'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dashboard } from '../src/index.ts'
import { type OpenPage, openPage } from './in-browser.ts'

// How stores and processes are shown while they come and go.

const token = 'a-token-of-the-tests'
const kept = keyValue(memory())
const manager = await openStores({
  stores: { users: { url: 'memory:', layers: ['cache', 'json'] } },
  monitor: true,
})
function shown() {
  return dashboard(manager, { tokens: [{ name: 'owner', token }], history: keptHistory(kept) })
}

let made = shown()
let server = await listen(made)
const port = Number(new URL(server.url).port)
const other = monitor()
const recorded = recorder(other, { keepIn: kept, processName: 'web-1:17' })
const users = keyValue({ ...memory(), name: 'users' }, [other])
const calling = setInterval(() => void users.get('a'), 200)
let opened: OpenPage
beforeAll(async () => {
  await recorded.flush()
  opened = await openPage()
  await opened.page.goto(`${server.url}/#token=${token}`)
})
afterAll(async () => {
  clearInterval(calling)
  await opened?.close()
  made.close()
  await recorded.close()
  await server.close()
  await manager.close()
})

test('a store without calls says what to do, and what its layers do', async () => {
  const { page } = opened
  const card = page.getByRole('region', { name: 'users', exact: true })
  await card.getByText('What the layers do').click()
  await card.getByText('answers reads from memory').waitFor()
  await card.getByText('All processes, in the last seconds').waitFor()
})

test('a process that ends is told as gone, with when it was last heard of', async () => {
  const { page } = opened
  const table = page.getByRole('region', { name: 'Table of processes' })
  await table.getByText('web-1:17').waitFor()
  expect(await table.textContent()).not.toContain('gone')
  await recorded.close()
  await table.getByText('gone: last heard at').waitFor()
})

test('a lost connection says so, and comes back with the figures that came meanwhile', async () => {
  const { page, problems } = opened
  made.close()
  await server.close()
  const lost = page.getByText('The connection is lost.')
  await lost.waitFor()
  await manager.stores.users.set('a', 1)
  made = shown()
  server = await listen(made, { port })
  await lost.waitFor({ state: 'detached' })
  await expect.poll(() => page.locator('[data-figure="users set calls"]').textContent()).toBe('1')
  // Requests that met no server are told by the browser; nothing else went wrong.
  expect(
    problems.filter((one) => !/ERR_CONNECTION|Failed to load|ERR_INCOMPLETE|ERR_EMPTY/.test(one)),
  ).toEqual([])
})
