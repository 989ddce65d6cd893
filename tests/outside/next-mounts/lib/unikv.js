import { json, keyValue } from '@unikv/core'
import { memory } from '@unikv/core/memory'
import { dashboard } from '@unikv/dashboard'
import { http } from '@unikv/http'
import { openStores } from '@unikv/manager'

const tokens = [{ name: 'tests', token: 'a-token-of-the-tests', may: 'write' }]
const manager = await openStores({ stores: { notes: { url: 'memory:', layers: ['json'] } }, monitor: true })
const users = keyValue(memory(), [json()])

export const page = dashboard(manager, { tokens, writable: true, basePath: '/admin/unikv' })
export const stores = http({ users }, { tokens, basePath: '/stores' })
