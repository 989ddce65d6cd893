import { chunkUs, entrants, warmUp } from './monitor-entrants.ts'

// One entrant of `monitor`, in a process of its own: makes it and warms it up, then measures a chunk whenever it is told to.

const make = entrants[process.argv[2] ?? '']
if (make === undefined) throw new Error(`No entrant ${process.argv[2]}.`)
const get = await make()
await warmUp(get)
process.on('message', () => {
  void chunkUs(get).then((us) => process.send?.(us))
})
process.send?.('warm')
