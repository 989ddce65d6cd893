import { bytesIn, demandKey, demandRight, jsonAnswer, jsonIn, keyOf, Refused } from '@unikv/http/parts'
import type { Hono } from 'hono'
import type { Change } from '../changes.ts'
import type { Shown } from '../decode/decoding.ts'
import { entryView, type FoundRecord, foundRecord, isSealed, layersView } from '../entry.ts'
import type { Parts } from '../parts.ts'
import type { AskedOf, AskedStore } from './asked.ts'

const entryPath = '/api/stores/:store/entry'

/** Single records: as they are shown, as files and images, and changed. */
export function entryRoutes(app: Hono, asked: AskedOf, parts: Parts): void {
  const { decoding, downloads } = parts
  const looked = async (one: AskedStore): Promise<FoundRecord & { readonly shown: Shown }> => {
    demandRight(one.access, 'read')
    const { kv, store, served, access, query } = one
    const canonical = keyOf(one, '')
    const key = query.get('key') ?? canonical
    if (isSealed(kv.capabilities, kv)) parts.looks.note({ caller: access.name, store, key })
    const found = await foundRecord(served, canonical)
    return { ...found, shown: { store, key, served, value: found.value, body: found.body } }
  }
  app.get(entryPath, async (context) => {
    const one = await asked(context)
    const found = await looked(one)
    const isWhole = one.query.get('whole') === 'true'
    const decoded = await decoding.view(found.shown, one.query.get('as') ?? undefined, isWhole)
    return jsonAnswer(entryView(found, one.served, decoded, isWhole))
  })
  app.get(`${entryPath}/layers`, async (context) => {
    const one = await asked(context)
    demandRight(one.access, 'read')
    return jsonAnswer(await layersView(one.kv, keyOf(one, '')))
  })
  app.get(`${entryPath}/image`, async (context) => {
    const one = await asked(context)
    const { shown } = await looked(one)
    const { bytes = shown.body, type = '' } = await decoding.image(shown, one.query.get('as') ?? undefined)
    const headers = { 'content-type': type, 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }
    return new Response(Buffer.from(bytes), {
      headers: { ...headers, 'content-security-policy': "default-src 'none'; sandbox" },
    })
  })
  app.post(`${entryPath}/file`, async (context) => {
    const one = await asked(context)
    demandRight(one.access, 'read')
    const name = one.query.get('key') ?? keyOf(one, '')
    return jsonAnswer({ path: downloads.path(name, async () => (await looked(one)).body) })
  })
  app.get('/files/:ticket', ({ req }) => downloads.answer(req.param('ticket')))
  changeRoutes(app, asked, parts)
}

function changeRoutes(app: Hono, asked: AskedOf, parts: Parts): void {
  const { decoding, changes } = parts
  app.put(entryPath, async (context) => {
    const one = await asked(context)
    demandChange(parts, one)
    const canonical = keyOf(one, '')
    const given = await jsonIn(one)
    const change = changeIn(given)
    const encoded =
      typeof change === 'object' && 'value' in change
        ? { body: await decoding.encode(one.store, one.query.get('key') ?? canonical, change.value) }
        : change
    return jsonAnswer(
      await changes.change(one.served, canonical, encoded, given['ifVersion'] as string | null),
    )
  })
  app.post('/api/stores/:store/undo', async (context) => {
    const one = await asked(context)
    demandChange(parts, one)
    const { undo } = await jsonIn(one)
    if (typeof undo !== 'string') throw new Refused(400, 'BAD_REQUEST', 'Name the change: { "undo": … }.')
    return jsonAnswer(await changes.undo(one.served, undo, (key) => demandKey(one.access, key)))
  })
}

/** A change: a new value as bytes or for its decoder, another end of its life, or that the record goes, which must be said. */
function changeIn({
  ifVersion,
  ...given
}: Readonly<Record<string, unknown>>): Change | { readonly value: unknown } {
  const [[name, one] = [], ...others] = Object.entries(given)
  const hasVersion = ifVersion === null || typeof ifVersion === 'string'
  if (hasVersion && others.length === 0) {
    const body = name === 'base64' ? bytesIn(one) : undefined
    if (body !== undefined) return { body }
    if (name === 'value') return { value: one }
    if (name === 'delete' && one === true) return 'delete'
    if (name === 'expiresAt' && (one === null || typeof one === 'number'))
      return { expiresAt: one ?? Number.POSITIVE_INFINITY }
  }
  throw new Refused(
    400,
    'BAD_REQUEST',
    'A change has one of `base64`, `value`, `expiresAt` and `delete: true`, and `ifVersion`.',
  )
}

function demandChange({ isWritable }: Parts, { access }: AskedStore): void {
  demandRight(access, 'write')
  if (!isWritable) throw new Refused(403, 'FORBIDDEN', 'This dashboard is read-only.')
}
