import { keyValue, type Schema } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { describe, expect, test } from 'vitest'
import { type EntityCallSettings, entities, entity, plain } from '../src/index.ts'

interface NoteData {
  user: string
  no: number
  tag: string
}

const defined = (schema: Schema<NoteData>) =>
  entity('Note', { schema, id: ['user', 'no'], group: ['user'], indexes: ['tag', 'user'] })

/** A schema that answers when it is let go. */
function hanging() {
  let letGo: () => void = () => {}
  const free = new Promise<void>((resolve) => {
    letGo = resolve
  })
  const validate = async (value: unknown) => {
    await free
    return { value: value as NoteData }
  }
  const schema: Schema<NoteData> = { '~standard': { version: 1, vendor: 'test', validate } }
  return { Hanging: defined(schema), letGo: () => letGo() }
}

const note = { user: 'u', no: 1, tag: 'a' }
const Note = defined(plain())

async function opened() {
  const store = memory()
  const others = entities(keyValue(store), [Note])
  await others.create(Note, note)
  const { Hanging, letGo } = hanging()
  const db = entities(keyValue(store), [Hanging])
  const calls = {
    get: (settings) => db.get(Hanging, note, settings),
    getMany: (settings) => db.getMany(Hanging, [note], settings),
    'byIndex in a group': (settings) => db.byIndex(Hanging, 'user', 'u', settings),
    'byIndex outside of groups': (settings) => db.byIndex(Hanging, 'tag', 'a', settings),
    'get in run': (settings) => db.run(Hanging.group(note), (tx) => tx.get(Hanging, note), settings),
    create: (settings) => db.create(Hanging, { ...note, no: 2 }, settings),
    update: (settings) => db.update(Hanging, note, settings),
  } satisfies Record<string, (settings: EntityCallSettings) => Promise<unknown>>
  return { calls, letGo, others }
}

const names = Object.keys((await opened()).calls) as (keyof Awaited<ReturnType<typeof opened>>['calls'])[]

describe.each(names)('%s with a schema that does not answer', (name) => {
  test('ends at the deadline, and changes nothing', async () => {
    const { calls, letGo, others } = await opened()
    await expect(calls[name]({ timeoutMs: 20 })).rejects.toMatchObject({ code: 'TIMEOUT' })
    letGo()
    await new Promise(setImmediate)
    expect(await others.byIndex(Note, 'user', 'u')).toEqual([note])
  })

  test('ends when its signal is aborted, and changes nothing', async () => {
    const { calls, letGo, others } = await opened()
    const stop = new AbortController()
    const call = calls[name]({ signal: stop.signal })
    setImmediate(() => stop.abort())
    await expect(call).rejects.toMatchObject({ code: 'ABORTED' })
    letGo()
    await new Promise(setImmediate)
    expect(await others.byIndex(Note, 'user', 'u')).toEqual([note])
  })
})
