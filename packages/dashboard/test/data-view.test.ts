import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encode } from '@msgpack/msgpack'
import { listen } from '@unikv/http/node'
import { openStores } from '@unikv/manager'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { dashboard } from '../src/index.ts'
import { openBrowser, openPage, seriousFaults } from './browsing.ts'

// The view of keys and values in a real browser.

const folder = mkdtempSync(join(tmpdir(), 'unikv-data-view-'))
const manager = await openStores({
  stores: {
    users: { url: `lmdb:${folder}`, layers: ['json'] },
    notes: { url: 'memory:', layers: ['text'] },
    raw: 'memory:',
  },
  monitor: true,
})
const { users, notes, raw } = manager.stores
const made = dashboard(manager, {
  unprotected: true,
  writable: true,
  decoders: [{ keys: 'session:*', as: 'msgpack' }],
})
const server = await listen(made)
const scans = (store: string): number => manager.monitor?.snapshot().stores[store]?.scan?.calls ?? 0

let browser: Browser
let page: Page
let problems: string[]

beforeAll(async () => {
  for (const group of ['order', 'user'])
    await users.setMany(
      Array.from({ length: 2_500 }, (_, i) => [`${group}/${String(i).padStart(4, '0')}`, { n: i }] as const),
    )
  await users.set('zoo', 1)
  await users.namespace('team').set('member/1', { name: 'Ada' })
  await notes.setMany([
    ['hello', 'first line\nsecond line'],
    ['deep:1', 'x'],
    ['deep:2', 'y'],
  ])
  browser = await openBrowser()
  ;({ page, problems } = await openPage(browser))
})
afterAll(async () => {
  await browser?.close()
  made.close()
  await server.close()
  await manager.close()
  rmSync(folder, { recursive: true })
})

const rows = () => page.getByRole('treeitem')
const row = (name: string) => page.getByRole('treeitem', { name, exact: true })

test('a view that opens asks each store at most twice, and those without an index not at all', async () => {
  await page.goto(`${server.url}/#data/users`)
  await expect.poll(() => rows().allTextContents()).toEqual(['team', 'order/', 'user/', 'More …'])
  expect(scans('users')).toBe(2)
  await page.goto(`${server.url}/#data/notes`)
  await page.getByText('This store walks all its keys').waitFor()
  expect([await rows().count(), scans('notes')]).toEqual([0, 0])
})

test('all keys are reached by the keyboard alone, and a value opens', async () => {
  await page.goto(`${server.url}/#data/users`)
  await row('More …').waitFor()
  await rows().first().focus()
  await page.keyboard.press('End')
  await page.keyboard.press('Enter')
  await row('zoo').waitFor()
  await page.keyboard.press('ArrowUp')
  await page.keyboard.press('ArrowRight')
  await row('0000').waitFor()
  await page.keyboard.press('ArrowRight')
  for (let i = 0; i < 100; i++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await row('0100').waitFor()
  await page.keyboard.press('Enter')
  await expect.poll(() => page.locator('.json').textContent()).toBe('{"n": 100')
})

test('a prefix and a range are listed, and a record of a namespace is shown', async () => {
  await page.goto(`${server.url}/#data/users`)
  await page.getByLabel('Prefix').fill('user/24')
  await page.getByText('Range').click()
  await page.getByLabel('From').fill('user/2498')
  await page.keyboard.press('Enter')
  await expect.poll(() => rows().allTextContents()).toEqual(['98', '99'])
  await page.goto(`${server.url}/#data/users/member%2F1/team`)
  await expect.poll(() => page.locator('.json').textContent()).toContain('Ada')
})

test('a store without an index is walked by a click, and tells how many keys each group has', async () => {
  await page.goto(`${server.url}/#data/notes`)
  await page.getByRole('button', { name: 'Walk through the keys' }).click()
  await expect.poll(() => rows().allTextContents()).toEqual(['deep:2', 'hello'])
  await page.getByRole('status').getByText('3 keys walked: all').waitFor()
})

test('a change is made by the keyboard alone, shows its difference, and is undone', async () => {
  await page.goto(`${server.url}/#data/notes/hello`)
  await page.getByRole('button', { name: 'Edit' }).focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('New value').fill('first line\nanother line')
  await expect.poll(() => page.locator('.difference').textContent()).toBe('− second line+ another line')
  await page.getByRole('button', { name: 'Store' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Undo' }).waitFor()
  expect(await notes.get('hello')).toBe('first line\nanother line')
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect.poll(() => notes.get('hello')).toBe('first line\nsecond line')
})

test('a conflict tells who has won, and shows the difference to that', async () => {
  await notes.set('both', 'mine')
  await page.goto(`${server.url}/#data/notes/both`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('New value').fill('my new text')
  const { version } = await notes.set('both', 'of another')
  await page.getByRole('button', { name: 'Store' }).click()
  await page.getByRole('alert').getByText(`It has the version ${version}`).waitFor()
  await expect.poll(() => page.locator('.difference').textContent()).toBe('− of another+ my new text')
  await notes.delete('both')
  await page.getByRole('button', { name: 'Store' }).click()
  await page.getByRole('alert').getByText('It has deleted the record').waitFor()
  await page.getByRole('button', { name: 'Store' }).click()
  await expect.poll(() => notes.get('both')).toBe('my new text')
  // The browser tells of each refusal.
  expect(problems.splice(0).map((text) => /\d{3}/.exec(text)?.[0])).toEqual(['412', '412', '404'])
})

test('a value is shown as its reader chooses, read-only where nothing encodes it, and saved as a file', async () => {
  await raw.set('session:1', encode({ user: 'Ada', id: 2 ** 40 }))
  await page.goto(`${server.url}/#data/raw/session%3A1`)
  await page.getByText('Decoded as msgpack, by the configuration.').waitFor()
  await expect.poll(() => page.locator('.json').textContent()).toBe('{"user": "Ada""id": 1099511627776')
  await page.getByText('Shown as msgpack, the value is read-only').waitFor()
  await page.getByLabel('Shown as').selectOption('hex')
  await expect.poll(() => page.locator('.bytes').textContent()).toMatch(/^000000 {2}82 a4 75 .*··user/)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  expect((await download).suggestedFilename()).toBe('session_1')
})

test('a life is changed by its own form, and text keeps the digits of its numbers', async () => {
  await page.goto(`${server.url}/#data/users/zoo`)
  await page.getByRole('button', { name: 'Change expiry' }).click()
  await page.getByLabel('Expires').fill('2100-01-01T00:00:00')
  await page.getByRole('button', { name: 'Set' }).click()
  await page.getByText('Jan 1, 2100').waitFor()
  await raw.set('numbers', Buffer.from('{"n":12345678901234567890}'))
  await page.goto(`${server.url}/#data/raw/numbers`)
  await page.getByRole('button', { name: 'Edit' }).click()
  expect(await page.getByLabel('New value').inputValue()).toBe('{\n  "n": 12345678901234567890\n}')
})

test('the view has no serious fault for axe, nor is wider than a phone', async () => {
  await page.goto(`${server.url}/#data/users/user%2F0001`)
  await page.locator('.entry dl').waitFor()
  await rows().first().waitFor()
  expect(await seriousFaults(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  const beyond = () => page.evaluate('document.documentElement.scrollWidth - innerWidth')
  await expect.poll(beyond).toBeLessThanOrEqual(0)
  await page.setViewportSize({ width: 1200, height: 800 })
})

test('nothing was refused by the policy of the page, and no error was told', () => {
  expect(problems).toEqual([])
})
