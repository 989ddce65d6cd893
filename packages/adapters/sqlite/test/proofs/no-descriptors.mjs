// A write of a process that has no descriptor left, and one when it has some again. Prints the codes.
import fs from 'node:fs'
import { keyValue } from '@unikv/core'
import { sqlite } from '@unikv/sqlite'

const kv = keyValue(sqlite({ path: process.argv[2], threads: Number(process.argv[3]) }))
const free = Number(process.argv[4])
const descriptors = []
try {
  for (;;) descriptors.push(fs.openSync('/dev/null'))
} catch {
  for (let i = 0; i < free; i++) fs.closeSync(descriptors.pop())
}
const set = () =>
  kv.set('a', new Uint8Array(1), { timeoutMs: 60_000 }).then(
    () => 'done',
    ({ code }) => code,
  )
const first = await set()
for (const descriptor of descriptors) fs.closeSync(descriptor)
process.stdout.write(`${first} ${await set()}`)
await kv.close()
