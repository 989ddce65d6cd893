import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { nodeListener } from '@unikv/http/node'
import { openStores } from '@unikv/manager'
import { chromium } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { dashboard } from '../src/index.ts'

// The page in a real browser where an application mounts it, behind a proxy that takes a part of the path away.

const token = 'a-token-of-the-tests'

/** The address of a page below /tools/admin/unikv, of which the page sees nothing. */
async function mountedAt(): Promise<string> {
  const manager = await openStores({ stores: { notes: { url: 'memory:', layers: ['text'] } }, monitor: true })
  await manager.stores.notes.set('hello', 'a value')
  const page = dashboard(manager, { tokens: [{ name: 'owner', token }] })
  const listener = nodeListener(page)
  const server = createServer((request, response) => {
    const [, rest] = /^\/tools\/admin\/unikv(?=[/?]|$)\/?(.*)$/.exec(request.url ?? '') ?? []
    if (rest === undefined) return response.writeHead(404).end()
    request.url = `/${rest}`
    return listener(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  onTestFinished(async () => {
    page.close()
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
    await manager.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/tools/admin/unikv`
}

test.each(['', '/'])('stores, live figures and a value at an address that ends with %j', async (ending) => {
  const url = await mountedAt()
  const args = ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking']
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args })
  onTestFinished(() => browser.close())
  const page = await browser.newPage()
  const problems: string[] = []
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('requestfailed', (request) => problems.push(request.url()))
  await page.goto(`${url}${ending}#token=${token}`)
  const calls = page.locator('[data-figure="notes read calls"]')
  await expect.poll(() => page.locator('[data-figure="notes set calls"]').textContent()).toBe('1')
  await page.goto(`${url}${ending}#data/notes/hello`)
  await expect.poll(() => page.locator('.entry pre').textContent()).toBe('a value')
  await page.getByRole('link', { name: 'Stores' }).click()
  await expect.poll(() => calls.textContent()).toBe('1')
  expect([problems, new URL(page.url()).pathname]).toEqual([[], new URL(url + ending).pathname])
})
