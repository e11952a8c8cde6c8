// A static page, in the folder `out`. Threads need a host that sends two headers, see docs/browser.md.

export default { output: "export" };
