// A script without promises: LMDB answers at once, so `sync` needs no thread. For stores that do not (Redis, MySQL)
// there is `syncFrom` of @unikv/sync.
import assert from 'node:assert/strict'
import { keyValue, remove } from '@unikv/core'
import { structured } from '@unikv/core/structured'
import { sync } from '@unikv/core/sync'
import { lmdb } from '@unikv/lmdb'

interface Note {
  readonly text: string
  readonly tags: readonly string[] | ReadonlySet<string>
  readonly editedAt: Date
}

const kv = keyValue(lmdb({ path: './notes', sync: true }), [structured<Note>()])
const notes = sync(kv)

const editedAt = new Date('2026-11-21')
notes.set('2026/shopping', { text: 'milk', tags: ['home', 'home'], editedAt })
notes.set('2026/empty', { text: '', tags: [], editedAt })
notes.set('2025/old', { text: 'old', tags: ['attic'], editedAt })

// A migration: tags become sets, empty notes go. `update` loses nothing that another process writes meanwhile.
for (const key of notes.keys({ prefix: '2026/' })) {
  notes.update(key, (note) => {
    if (note === undefined) return undefined
    return note.text === '' ? remove : { ...note, tags: new Set(note.tags) }
  })
}

for (const [key, { value }] of notes.entries()) console.log(key, value.tags)
assert.deepEqual(notes.get('2026/shopping'), { text: 'milk', tags: new Set(['home']), editedAt })
assert.equal(notes.has('2026/empty'), false)
assert.deepEqual([...notes.keys()], ['2025/old', '2026/shopping'])
await kv.close()
