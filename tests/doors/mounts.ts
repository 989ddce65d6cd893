import { createServer, request as requestOf } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { dashboard } from '@unikv/dashboard'
import { http } from '@unikv/http'
import { httpStore } from '@unikv/http/store'
import { openStores } from '@unikv/manager'
import { expect, onTestFinished } from 'vitest'

// What an application must get of a mounted page below /admin/unikv and of mounted stores below /stores, beside a page of its own.

const token = 'a-token-of-the-tests'
const tokens = [{ name: 'tests', token, may: 'write' }] as const
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }

/** Stores, and a page about them; `basePaths`: for frameworks that leave the path as it is. */
export async function mounted(basePaths = false) {
  const manager = await openStores({ stores: { notes: { url: 'memory:', layers: ['json'] } }, monitor: true })
  const users = keyValue(memory(), [json<unknown>()])
  const at = (basePath: string) => (basePaths ? { basePath } : {})
  const page = dashboard(manager, { tokens, writable: true, ...at('/admin/unikv') })
  onTestFinished(async () => {
    page.close()
    await manager.close()
  })
  return { page, stores: http({ users }, { tokens, ...at('/stores') }) }
}

/** How a framework serves the page. */
export interface Mounted {
  /** Of paths at which the page is. @default '' and '/' */
  readonly endings?: readonly string[]
  /** How many read a stream of the page, where it is in this process. */
  readonly listeners?: () => number
}

/** Everything, at this address and behind a proxy that has it below another path. */
export async function checkMounts(
  url: string,
  { endings = ['', '/'], listeners }: Mounted = {},
): Promise<void> {
  const proxy = await behindProxy(url)
  for (const seen of [url, proxy]) {
    expect(await (await fetch(`${seen}/own`)).text()).toBe('a page')
    await checkStores(seen)
    await checkPage(seen, endings)
  }
  await checkLeaving(`${url}/admin/unikv/api/live`, listeners)
}

/** Used as a store, with values that a parser of bodies would take. */
async function checkStores(url: string): Promise<void> {
  const far = keyValue(httpStore({ url: `${url}/stores/users`, token }), [json<object>()])
  await far.set('ada', { name: 'Ada' })
  await far.setMany([
    ['bob', { name: 'Bob' }],
    ['x/../y', { name: 'ä' }],
  ])
  const names = await far.getMany(['ada', 'bob', 'x/../y'])
  expect(names).toEqual([{ name: 'Ada' }, { name: 'Bob' }, { name: 'ä' }])
  await far.close()
  const own = `${url}/stores/v1/stores/users/records/eve%20%26%20co`
  const put = await fetch(own, { method: 'PUT', headers, body: '{"name":"Eve"}' })
  expect(put.status).toBe(204)
  expect(await (await fetch(own, { headers })).json()).toEqual({ name: 'Eve' })
  expect((await fetch(own, { method: 'HEAD', headers })).status).toBe(200)
  expect((await fetch(own)).status).toBe(401)
  expect((await fetch(own, { method: 'DELETE', headers })).status).toBe(204)
}

async function checkPage(url: string, endings: readonly string[]): Promise<void> {
  const at = `${url}/admin/unikv`
  for (const ending of endings)
    expect(await (await fetch(at + ending)).text()).toMatch(/^<!doctype html>[^]*<title>unikv/)
  expect((await fetch(`${at}/api/overview`)).status).toBe(401)
  expect(await (await fetch(`${at}/api/overview`, { headers })).json()).toMatchObject({
    stores: [{ name: 'notes' }],
  })
  await checkChange(`${at}/api/stores/notes`)
  expect(await firstEvent(`${at}/api/live`)).toHaveProperty('stores.notes')
}

/** A record is made, changed, and the change undone. */
async function checkChange(store: string): Promise<void> {
  const entry = `${store}/entry?key=${encodeURIComponent(store)}`
  const send = async (method: string, url: string, body: object) =>
    (await fetch(url, { method, headers, body: JSON.stringify(body) })).json() as Promise<{
      readonly version: string
      readonly undo: string
    }>
  const put = (text: string, ifVersion: string | null) =>
    send('PUT', entry, { base64: Buffer.from(text).toString('base64'), ifVersion })
  const value = async () => {
    const { base64 } = (await (await fetch(entry, { headers })).json()) as { readonly base64: string }
    return Buffer.from(base64, 'base64').toString()
  }
  const { version } = await put('{"n":1}', null)
  const { undo } = await put('{"n":2}', version)
  expect(await value()).toBe('{"n":2}')
  await send('POST', `${store}/undo`, { undo })
  expect(await value()).toBe('{"n":1}')
}

/** The first event of a stream, read while it stays open; then its reader leaves. */
async function firstEvent(url: string): Promise<unknown> {
  const leaving = new AbortController()
  const { body, status } = await fetch(url, { headers, signal: leaving.signal })
  expect(status).toBe(200)
  let text = ''
  for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
    text += Buffer.from(part).toString()
    if (text.includes('\n\n')) break
  }
  leaving.abort()
  return JSON.parse(text.slice('data: '.length, text.indexOf('\n\n')))
}

/** The page is told that readers leave. From another process that shows only when more have been there than may listen: a thousand. */
async function checkLeaving(url: string, listeners?: () => number): Promise<void> {
  const rounds = listeners === undefined ? 26 : 1
  for (let i = 0; i < rounds; i++) await Promise.all(Array.from({ length: 40 }, () => firstEvent(url)))
  if (listeners !== undefined) await expect.poll(listeners).toBe(0)
}

/** An address whose path /tools a proxy takes away. */
async function behindProxy(target: string): Promise<string> {
  const proxy = createServer((incoming, response) => {
    const { method, headers, url = '' } = incoming
    const outgoing = requestOf(target + url.slice('/tools'.length), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    outgoing.once('error', () => response.destroy())
    response.once('close', () => outgoing.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening))
  onTestFinished(async () => {
    proxy.closeAllConnections()
    await new Promise((closed) => proxy.close(closed))
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/tools`
}
