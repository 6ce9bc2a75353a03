#include "d3d12/diagnostics.h"

#include "d3d12/com.h"
#include "d3d12/platform/runtime.h"
#include "log.h"

#include <cstdio>
#include <mutex>
#include <vector>

namespace ggml_directx::d3d12 {

void enable_diagnostics(runtime & rt) {
    static std::once_flag once;
    std::call_once(once, [&] {
        com_ptr<ID3D12Debug> debug;
        rt.debug_interface(__uuidof(ID3D12Debug), debug.out());
        if (debug) {
            debug->EnableDebugLayer();
            LOG_DX_INFO("debug layer on");
        } else {
            LOG_DX_WARN("GGML_DIRECTX_DEBUG: this Direct3D 12 has no debug layer (on Windows: install the Graphics Tools feature)");
        }
        com_ptr<ID3D12DeviceRemovedExtendedDataSettings> dred;
        rt.debug_interface(__uuidof(ID3D12DeviceRemovedExtendedDataSettings), dred.out());
        if (dred) {
            dred->SetAutoBreadcrumbsEnablement(D3D12_DRED_ENABLEMENT_FORCED_ON);
            dred->SetPageFaultEnablement(D3D12_DRED_ENABLEMENT_FORCED_ON);
            LOG_DX_INFO("DRED on");
        }
    });
}

std::string breadcrumbs(ID3D12Device & device) {
    com_ptr<ID3D12DeviceRemovedExtendedData> dred;
    device.QueryInterface(__uuidof(ID3D12DeviceRemovedExtendedData), dred.out());
    if (!dred) {
        return {};
    }
    std::string                        text;
    D3D12_DRED_AUTO_BREADCRUMBS_OUTPUT crumbs{};
    if (SUCCEEDED(dred->GetAutoBreadcrumbsOutput(&crumbs))) {
        for (const D3D12_AUTO_BREADCRUMB_NODE * node = crumbs.pHeadAutoBreadcrumbNode; node; node = node->pNext) {
            const uint32_t done = node->pLastBreadcrumbValue ? *node->pLastBreadcrumbValue : 0;
            if (done == 0 || done == node->BreadcrumbCount) {
                continue;  // not begun, or complete
            }
            text += "; a command list stopped at operation " + std::to_string(done) + " of " + std::to_string(node->BreadcrumbCount);
            if (node->pCommandHistory) {
                text += " (kind " + std::to_string(node->pCommandHistory[done]) + ")";
            }
        }
    }
    D3D12_DRED_PAGE_FAULT_OUTPUT fault{};
    if (SUCCEEDED(dred->GetPageFaultAllocationOutput(&fault)) && fault.PageFaultVA != 0) {
        char address[64];
        std::snprintf(address, sizeof(address), "; page fault at 0x%llx", static_cast<unsigned long long>(fault.PageFaultVA));
        text += address;
    }
    return text;
}

std::string debug_messages(ID3D12Device & device) {
    com_ptr<ID3D12InfoQueue> queue;
    device.QueryInterface(__uuidof(ID3D12InfoQueue), queue.out());
    if (!queue) {
        return {};
    }
    std::string    text;
    const uint64_t n = queue->GetNumStoredMessages();
    for (uint64_t i = 0; i < n; ++i) {
        SIZE_T size = 0;
        if (FAILED(queue->GetMessage(i, nullptr, &size)) || size == 0) {
            continue;
        }
        std::vector<uint64_t> storage((size + 7) / 8);
        auto *                message = reinterpret_cast<D3D12_MESSAGE *>(storage.data());
        if (SUCCEEDED(queue->GetMessage(i, message, &size)) && message->Severity <= D3D12_MESSAGE_SEVERITY_WARNING) {
            text += std::string("; debug layer: ") + message->pDescription;
        }
    }
    queue->ClearStoredMessages();
    return text;
}

}  // namespace ggml_directx::d3d12
