// Another writer of a dataset, whose clock is ahead by so many milliseconds: sets a record and closes.
const [directory, aheadMs] = process.argv.slice(2)
const now = Date.now
Date.now = () => now() + Number(aheadMs)
const { keyValue, text } = await import('@unikv/core')
const { file } = await import('@unikv/file')

const kv = keyValue(file({ directory }), [text()])
await kv.set('of the stranger', '1')
await kv.close()
