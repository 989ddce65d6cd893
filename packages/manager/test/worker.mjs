// A program with a monitored configuration: it works, keeps its figures, says what it did, and goes on until it is killed.
import { openStores } from '@unikv/manager'

const [folder, keepIn, calls] = process.argv.slice(2)
const { stores, monitor, recorder } = await openStores({
  stores: {
    notes: { url: `file:${folder}/notes`, layers: ['text'] },
    users: { url: `sqlite:${folder}/users.db`, layers: ['json'] },
    sessions: { url: 'memory:', layers: ['json'] },
    metrics: keepIn,
  },
  monitor: { keepIn: 'metrics', recentCalls: 100_000 },
})
for (let i = 0; i < Number(calls); i++) {
  await stores.users.set(`user ${i % 50}`, { i })
  await stores.users.get(`user ${(i * 7) % 60}`)
  await stores.sessions.set(`session ${i % 9}`, i)
  if (i % 5 === 0) await stores.notes.set(`note ${i % 20}`, 'x'.repeat(i % 300))
}
await recorder.flush()
const { stores: figures } = monitor.snapshot()
process.stdout.write(`${JSON.stringify({ figures, recent: monitor.recent() })}\n`)
for (;;) await stores.users.set('after', 1)
