import { setTimeout as wait } from 'node:timers/promises'
import { answer, cluster, isUp, redis, request, start, stop } from './redis-server.mjs'

/*
 * A hook of the tuner that adds a node to a Redis Cluster and gives it its share of the slots, and takes both back:
 * hookTactic({ name: 'add-shard', command: ['node', 'redis-cluster-node.mjs', '7000', '7006'], … }).
 */

const [member = 7000, added = 7006] = process.argv.slice(2).map(Number)

const nodes = () => redis(member, 'CLUSTER', 'NODES').split('\n')
const own = () => nodes().find((line) => line.includes(`:${added}@`))
/** Slots come after eight fields. */
const hasSlots = () => (own()?.split(' ').length ?? 0) > 8

/** Repeat a command until it took effect: for some seconds after a change nodes may not agree yet, and refuse. The tuner ends this after its time. */
async function until(isDone, ...args) {
  while (!isDone()) {
    cluster(...args)
    await wait(300)
  }
}

async function add() {
  await start(added, '--cluster-enabled', 'yes')
  await until(() => own() !== undefined, 'add-node', `127.0.0.1:${added}`, `127.0.0.1:${member}`)
  await until(hasSlots, 'rebalance', `127.0.0.1:${member}`, '--cluster-use-empty-masters')
}

async function remove() {
  const id = own()?.split(' ')[0]
  await until(() => !hasSlots(), 'rebalance', `127.0.0.1:${member}`, '--cluster-weight', `${id}=0`)
  await until(() => own() === undefined, 'del-node', `127.0.0.1:${member}`, id)
  stop(added)
}

const { action } = request()
if (action === 'do') await add()
if (action === 'undo') await remove()
answer(action === 'status' ? isUp(added) && hasSlots() : true)
