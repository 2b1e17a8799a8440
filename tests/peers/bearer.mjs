// The conformance suite cannot be told to send a bearer token, and Sandgate answers nobody without one.
// Loaded by `node --import`, this adds it to every request; what the suite itself sends stays as it is.
import { channel } from "node:diagnostics_channel";

const value = `Bearer ${process.env.SANDGATE_MCP_TOKEN}`;
channel("undici:request:create").subscribe(({ request }) => request.addHeader("authorization", value));
channel("http.client.request.created").subscribe(({ request }) => request.setHeader("authorization", value));
