import { connect } from 'node:net'
import { median, type Round } from './rounds.ts'
import type { WebLoad } from './web-server.ts'

// The other process of `webServer`: one message at a time on each socket.
process.once('message', (options) => {
  void run(options as WebLoad).then((round) => process.send?.(round, () => process.exit(0)))
})

async function run({ port, sockets, durationMs }: WebLoad): Promise<Round> {
  const samples: number[] = []
  let answers = 0
  const startedAt = performance.now()
  const endsAt = startedAt + durationMs
  await Promise.all(Array.from({ length: sockets }, () => talk()))
  return { opsPerSecond: answers / ((performance.now() - startedAt) / 1000), p50Us: median(samples) * 1000 }

  function talk(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      let sentAt = 0
      const ask = (): void => {
        sentAt = performance.now()
        socket.write('?')
      }
      socket.once('connect', ask)
      socket.once('error', reject)
      socket.on('data', () => {
        const now = performance.now()
        samples.push(now - sentAt)
        answers++
        if (now < endsAt) ask()
        else {
          socket.destroy()
          resolve()
        }
      })
    })
  }
}
