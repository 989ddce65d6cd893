export { type DynamodbNative, type DynamodbStore, dynamodb, prepareDynamodb } from './dynamodb.ts'
export type { DynamodbCapabilities } from './dynamodb-capabilities.ts'
export type { DynamodbCredentials, DynamodbOptions } from './dynamodb-options.ts'
